import type { Addresses } from '../../../infra/local/addresses.ts';
import { fileInbox } from '../../../runner/inbox.ts';
import { type Runner, startRunner } from '../../../runner/runner.ts';

/** The product's own runner on the local stack; `stop` is the end of its process, not of its prompts. */
export async function runnerOnStack(
  { aws, runner_api_url, runner_queue_urls }: Addresses,
  folder: string,
): Promise<Runner> {
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  return startRunner({
    apiUrl: runner_api_url,
    queueUrl: runner_queue_urls.default ?? '',
    region: aws.region,
    sqsEndpoint: aws.sqs_endpoint,
    credentials: async () => credentials,
    inbox: await fileInbox(folder),
    onNextTurn: async () => {},
  });
}
