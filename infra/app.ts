import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { BUNDLES, bundleFunctions } from './bundle.ts';
import { ConfigError, DEFAULT_STAGE, readStage } from './config.ts';
import { InteractivePromptsStack } from './interactive-prompts-stack.ts';

/*
 * `cdk synth` and `cdk deploy` run this file; so can anyone, with CDK_OUTDIR set to where the assembly is to go. The
 * feature flags come from cdk.json either way, so both get the same template.
 *
 *   CDK_VALIDATION=false      leaves out every check of the template, CDK's and ours: the local stack's start does
 *   CDK_CONTEXT_JSON='{"stage":"trial"}'      is what `-c stage=trial` is to the command line
 */
try {
  const app = new App({ context: cdkJson.context });
  const stage = readStage(String(app.node.tryGetContext('stage') ?? DEFAULT_STAGE));
  await bundleFunctions();
  new InteractivePromptsStack(app, 'InteractivePrompts', { stage, bundles: BUNDLES });
  // CDK's own switch for its own check. Imported here, since loading cdk-nag alone takes a third of a second.
  if (process.env.CDK_VALIDATION !== 'false') (await import('./template-checks.ts')).addTemplateChecks(app);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
