import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';

/**
 * What the operator puts after the first deployment. Until then they hold generated text that opens nothing: webhooks
 * get 503 and are sent again by the host, and the host refuses our key.
 */
export class OperatorSecrets extends Construct {
  readonly webhookSecrets: Secret;
  readonly threadHostKey: Secret;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    const removalPolicy = removalPolicyOf(stage);
    this.webhookSecrets = new Secret(this, 'WebhookSecrets', {
      description: 'JSON list of the whsec_ secrets that sign the thread webhook; two of them while rotating.',
      removalPolicy,
    });
    this.threadHostKey = new Secret(this, 'ThreadHostKey', {
      description: 'API key of the user as whom prompts are posted on the thread host.',
      removalPolicy,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The thread host makes both, and no function of ours may change them there: people rotate them.',
    });
  }
}
