import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { VisibilityTimeoutRule } from './visibility-timeout-rule.ts';

/**
 * What a synth must pass beside CDK's own check. A finding that is right as it is gets a written reason, by
 * `Validations.of(…).acknowledge(…)` next to the construct that causes it.
 */
export function addTemplateChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app), new VisibilityTimeoutRule());
}
