import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import type { Invocation } from './execution-environment.ts';
import { TemplateError } from './intrinsics.ts';
import { LambdaFunction } from './lambda-function.ts';
import { REGION } from './resource-names.ts';
import type { Template } from './template.ts';

export type FunctionsSettings = {
  /** The folder with the template and the assets. */
  assembly: string;
  endpoints: { sqs: string; dynamodb: string; secretsManager: string };
  secretAccessKey: string;
  log: (functionId: string, line: string) => void;
  /** Hears of every invocation, by the function's name. */
  ended: (functionName: string, invocation: Invocation, durationMs: number) => void;
};

/** Lambda's own defaults. */
const TIMEOUT_SECONDS = 3;
const MEMORY_MB = 128;
/**
 * Twenty calls that wait for a thread host that hangs, and some that do not: on two cores more would only take longer
 * to start, at some 25 MB each.
 */
const CONCURRENCY = 24;

/** The template's functions by logical id. Nothing runs before the first invocation. */
export function createFunctions(template: Template, settings: FunctionsSettings): Map<string, LambdaFunction> {
  const ids = template.ofType('AWS::Lambda::Function');
  return new Map(ids.map((logicalId) => [logicalId, createFunction(template, logicalId, settings)]));
}

function createFunction(template: Template, logicalId: string, settings: FunctionsSettings): LambdaFunction {
  const name = template.attribute(logicalId, 'Ref', logicalId);
  const memoryMb = (template.property(logicalId, 'MemorySize') as number | undefined) ?? MEMORY_MB;
  const reserved = template.property(logicalId, 'ReservedConcurrentExecutions') as number | undefined;
  if (!/^nodejs\d/.test(template.text(logicalId, 'Runtime'))) {
    throw new TemplateError(logicalId, 'only Node.js runtimes are supported by the local stack');
  }
  return new LambdaFunction({
    folder: assetFolder(template, logicalId, settings.assembly),
    handler: template.text(logicalId, 'Handler'),
    context: {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: template.attribute(logicalId, 'Arn', logicalId),
      memoryLimitInMB: String(memoryMb),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'local',
    },
    variables: environmentOf(template, logicalId, name, settings),
    timeoutMs: timeoutSeconds(template, logicalId) * 1000,
    memoryMb,
    concurrency: Math.min(reserved ?? CONCURRENCY, CONCURRENCY),
    log: (line) => settings.log(logicalId, line),
    ended: (invocation, durationMs) => settings.ended(name, invocation, durationMs),
  });
}

export function timeoutSeconds(template: Template, logicalId: string): number {
  return (template.property(logicalId, 'Timeout') as number | undefined) ?? TIMEOUT_SECONDS;
}

function assetFolder(template: Template, logicalId: string, assembly: string): string {
  const { S3Key } = template.property(logicalId, 'Code') as { S3Key?: unknown };
  const folder = path.join(assembly, `asset.${String(S3Key).replace(/\.zip$/, '')}`);
  if (!existsSync(folder)) throw new TemplateError(logicalId, `its code is not in the assembly (${folder})`);
  return folder;
}

/**
 * All that a function sees of the outside. Its AWS calls go to these three endpoints and nowhere else, each with its
 * logical id for an access key id: the access control before them knows which function calls.
 */
function environmentOf(
  template: Template,
  logicalId: string,
  name: string,
  { endpoints, secretAccessKey }: FunctionsSettings,
): Record<string, string> {
  const own = template.property(logicalId, 'Environment') as { Variables?: Record<string, string> } | undefined;
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_ACCESS_KEY_ID: logicalId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    // Lambda has no such files, and the developer's must not count here.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...own?.Variables,
  };
}
