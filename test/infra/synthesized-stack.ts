import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { readStage } from '../../infra/config.ts';
import { InteractivePromptsStack } from '../../infra/interactive-prompts-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON, and a wrong path into it fails its test
type Json = any;
export type Resource = { Type: string; Properties: Json; DependsOn?: string[]; DeletionPolicy?: string };

export const FUNCTION_IDS = {
  ingest: 'IngestFunction',
  resolver: 'ResolverResolveFunction',
  'runner-api': 'RunnerApiFunction',
  reconciler: 'ReconcilerReconcileFunction',
};

/** The template of a stage with these settings. */
export function synthesize(settings: object = {}, stageName = 'prod'): Synthesized {
  return withStack(settings, stageName, (stack) => new Synthesized(stack));
}

/** A stage's stack before it is synthesized, from stub bundles and without CDK's slow check (`npm run synth` has it). */
export function withStack<Result>(settings: object, stageName: string, use: (stack: Stack) => Result): Result {
  const folder = mkdtempSync(path.join(tmpdir(), 'synthesized-'));
  try {
    const bundles = stubBundles(path.join(folder, 'bundles'));
    const outdir = path.join(folder, 'cdk.out');
    const app = new App({ context: cdkJson.context, builtinCloudFormationValidation: false, outdir });
    const stage = readStage(stageName, { [stageName]: settings });
    return use(new InteractivePromptsStack(app, 'InteractivePrompts', { stage, bundles }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function stubBundles(folder: string): string {
  for (const name of Object.keys(FUNCTION_IDS)) {
    mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name, 'index.mjs'), `export const handler = () => '${name}';`);
  }
  return folder;
}

export class Synthesized {
  readonly stackName: string;
  readonly json: Json;
  readonly resources: Record<string, Resource>;
  constructor(stack: Stack) {
    this.stackName = stack.stackName;
    this.json = Template.fromStack(stack).toJSON();
    this.resources = this.json.Resources;
  }

  ofType(type: string): Resource[] {
    return Object.values(this.resources).filter((resource) => resource.Type === type);
  }

  /** The one resource whose logical id is this name and CDK's hash of 8. */
  named(name: string): Resource & { id: string } {
    const found = Object.entries(this.resources).filter(([id]) => id.slice(0, -8) === name);
    if (found.length !== 1 || !found[0]) throw new Error(`${found.length} resources are named ${name}`);
    const [id, resource] = found[0];
    return { id, ...resource };
  }

  /** `action resource` of every statement of the function's role, the resource without CDK's hash. */
  grantsOf(functionName: string): string[] {
    return this.grantsOfRole(this.named(functionName).Properties.Role['Fn::GetAtt'][0]);
  }

  grantsOfRole(role: string): string[] {
    return this.ofType('AWS::IAM::Policy')
      .filter(({ Properties }) => Properties.Roles.some(({ Ref }: Json) => Ref === role))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .flatMap(({ Action, Resource }: Json) =>
        [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${readable(resource)}`)),
      )
      .sort();
  }
}

/** A reference in words: `ResolverThreadItemsQueue`, `PromptsTable/index/work`. */
export function readable(reference: Json): string {
  if (typeof reference === 'string') return reference;
  const id = reference.Ref ?? reference['Fn::GetAtt']?.[0];
  if (id !== undefined) return id.startsWith('AWS::') ? id : id.replace(/[0-9A-F]{8}$/, '');
  return reference['Fn::Join'][1].map(readable).join(reference['Fn::Join'][0]);
}
