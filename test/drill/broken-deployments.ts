import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Resource, TemplateJson } from '../../infra/local/template.ts';

/** How a deployment of the same stack may be broken. */
export type Deployment = 'without-variables' | 'hanging';

const HANGS = 'hangs';

const BREAKS: Readonly<Record<Deployment, (lambda: { Properties: Record<string, unknown> }) => void>> = {
  'without-variables': ({ Properties }) => {
    Properties.Environment = { Variables: {} };
  },
  hanging: ({ Properties }) => {
    Properties.Code = { S3Bucket: 'any', S3Key: `${HANGS}.zip` };
  },
};

/** Writes a broken copy of the synthesized stack. @returns its folder, in `root` */
export function breakDeployment(assembly: string, deployment: Deployment, root: string): string {
  const folder = path.join(root, deployment);
  cpSync(assembly, folder, { recursive: true });
  const asset = path.join(folder, `asset.${HANGS}`);
  mkdirSync(asset);
  writeFileSync(path.join(asset, 'index.mjs'), 'export const handler = () => new Promise(() => {});\n');
  const file = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.template.json')) ?? '');
  const template: TemplateJson = JSON.parse(readFileSync(file, 'utf8'));
  const isLambda = (resource: Resource): resource is Required<Resource> => resource.Type === 'AWS::Lambda::Function';
  for (const lambda of Object.values(template.Resources ?? {}).filter(isLambda)) BREAKS[deployment](lambda);
  writeFileSync(file, JSON.stringify(template));
  return folder;
}
