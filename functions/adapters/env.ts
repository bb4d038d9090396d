import * as z from 'zod';

/** The one place that reads the environment; the stack sets every name (infra/). A missing one stops the function. */
function readEnv<Shape extends z.ZodRawShape>(shape: Shape): z.infer<z.ZodObject<Shape>> {
  const parsed = z.object(shape).safeParse(process.env);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new Error(`The environment variables ${names} are missing or malformed: deploy the stack of this version.`);
}

const runnerQueueUrls = z.string().transform((text, context) => {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    context.addIssue('not a JSON object of queue URLs');
    return z.NEVER;
  }
});

export const ingestEnv = () =>
  readEnv({
    STAGE: z.string().min(1),
    RESOLVER_QUEUE_URL: z.string().min(1),
    WEBHOOK_SECRETS_ARN: z.string().min(1),
    TRUST_WEBHOOK_ITEM: z.enum(['true', 'false']).transform((text) => text === 'true'),
  });

export const runnerApiEnv = () => readEnv({ RUNNER_ROLE_PREFIX: z.string().min(1) });

/** Shared by all functions that touch prompts. */
export const promptEnv = () =>
  readEnv({
    STAGE: z.string().min(1),
    TABLE_NAME: z.string().min(1),
    RESOLVER_QUEUE_URL: z.string().min(1),
    RUNNER_QUEUE_URLS: runnerQueueUrls,
    THREAD_HOST_URL: z.url(),
    THREAD_HOST_KEY_ARN: z.string().min(1),
  });
