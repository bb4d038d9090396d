import { readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { AwsIdentity } from '../../runner/signed-fetch.ts';
import { ADDRESSES_FILE, type Addresses } from '../local/addresses.ts';

/** What an operator's command needs of a stack, deployed or local. */
export type Deployment = {
  dynamodb: DynamoDBClient;
  sqs: SQSClient;
  identity: AwsIdentity;
  tableName: string;
  resolverQueueUrl: string;
  resolverDlqUrl: string;
  runnerQueueUrls: Record<string, string>;
  webhookUrl: string;
  runnerApiUrl: string;
  threadHostUrl: string;
  /** The secrets' texts as they stand. */
  webhookSecrets(): Promise<string>;
  threadHostKey(): Promise<string>;
};

/** What a person must change; the message is one plain sentence. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** The stack that `npm start` runs on this machine. @throws OperatorError where none does */
export function localDeployment(file = ADDRESSES_FILE): Deployment {
  let addresses: Addresses;
  try {
    addresses = JSON.parse(readFileSync(file, 'utf8')) as Addresses;
  } catch {
    throw new OperatorError('No stack runs on this machine: start it with npm start.');
  }
  const { aws, thread_host } = addresses;
  const credentials = { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key };
  const client = { region: aws.region, credentials };
  return {
    dynamodb: new DynamoDBClient({ ...client, endpoint: aws.dynamodb_endpoint }),
    sqs: new SQSClient({ ...client, endpoint: aws.sqs_endpoint }),
    identity: { region: aws.region, credentials: async () => credentials },
    tableName: addresses.table_name,
    resolverQueueUrl: addresses.resolver_queue_url,
    resolverDlqUrl: addresses.resolver_dlq_url,
    runnerQueueUrls: addresses.runner_queue_urls,
    webhookUrl: addresses.webhook_url,
    runnerApiUrl: addresses.runner_api_url,
    threadHostUrl: thread_host.url,
    webhookSecrets: async () => JSON.stringify([addresses.webhook_secret]),
    threadHostKey: async () => thread_host.runner.api_key,
  };
}

/** A deployed stack, by its outputs; profile and region are the AWS SDK's own. @throws OperatorError */
export async function awsDeployment(stackName: string): Promise<Deployment> {
  const stacks = new CloudFormationClient();
  const { Stacks } = await stacks.send(new DescribeStacksCommand({ StackName: stackName })).catch((error) => {
    throw new OperatorError(
      `The stack "${stackName}" cannot be looked at (${(error as Error).name}): check AWS_PROFILE, AWS_REGION and --stack.`,
    );
  });
  const [stack] = Stacks ?? [];
  const output = (name: string) => {
    const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value === undefined)
      throw new OperatorError(`The stack "${stackName}" has no output ${name}: deploy this version.`);
    return value;
  };
  const secrets = new SecretsManagerClient();
  const read = async (SecretId: string) =>
    (await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString ?? '';
  const dynamodb = new DynamoDBClient();
  return {
    dynamodb,
    sqs: new SQSClient(),
    identity: { region: await dynamodb.config.region(), credentials: defaultProvider() },
    tableName: output('TableName'),
    resolverQueueUrl: output('ResolverQueueUrl'),
    resolverDlqUrl: output('ResolverDlqUrl'),
    runnerQueueUrls: JSON.parse(output('RunnerQueueUrls')),
    webhookUrl: output('WebhookUrl'),
    runnerApiUrl: output('RunnerApiUrl'),
    threadHostUrl:
      stack?.Parameters?.find(({ ParameterKey }) => ParameterKey === 'ThreadHostUrl')?.ParameterValue ?? '',
    webhookSecrets: () => read(output('WebhookSecretsArn')),
    threadHostKey: () => read(output('ThreadHostKeyArn')),
  };
}
