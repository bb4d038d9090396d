import {
  type CfnElement,
  type IPolicyValidationContext,
  type IPolicyValidationPlugin,
  type PolicyValidationPluginReport,
  type PolicyViolation,
  Stack,
} from 'aws-cdk-lib';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** AWS's advice: room for Lambda's retries while a function is throttled, so that no message is handled twice at once. */
const TIMES = 6;
/** In seconds: CloudFormation's, where a template says nothing. */
const DEFAULT_VISIBILITY_TIMEOUT = 30;
const DEFAULT_TIMEOUT = 3;

/** A queue that feeds a function hides a message for at least six times the function's time-out. */
export class VisibilityTimeoutRule implements IPolicyValidationPlugin {
  readonly name = 'interactive-prompts';
  readonly ruleIds = ['VisibilityTimeout'];

  validate({ appConstruct }: IPolicyValidationContext): PolicyValidationPluginReport {
    const all = appConstruct.node.findAll();
    const violations = all
      .filter((construct) => construct instanceof CfnEventSourceMapping)
      .flatMap((mapping) => {
        const fault = faultOf(mapping, all);
        return fault === undefined ? [] : [violationOf(mapping, fault)];
      });
    return { success: violations.length === 0, violations };
  }
}

/** One plain sentence, or `undefined` where the mapping keeps the rule. */
function faultOf(mapping: CfnEventSourceMapping, all: IConstruct[]): string | undefined {
  const stack = Stack.of(mapping);
  const queueId = stack.resolve(mapping.eventSourceArn)?.['Fn::GetAtt']?.[0];
  const functionId = stack.resolve(mapping.functionName)?.Ref;
  const isNamed = (id: unknown) => (element: CfnElement) =>
    element.stack === stack && stack.resolve(element.logicalId) === id;
  const queue = all.filter((construct) => construct instanceof CfnQueue).find(isNamed(queueId));
  const lambda = all.filter((construct) => construct instanceof CfnFunction).find(isNamed(functionId));
  if (!queue || !lambda) {
    return `The event source ${mapping.node.path} cannot be checked, since its queue or its function is not in this stack.`;
  }
  const hidden = stack.resolve(queue.visibilityTimeout) ?? DEFAULT_VISIBILITY_TIMEOUT;
  const timeout = stack.resolve(lambda.timeout) ?? DEFAULT_TIMEOUT;
  if (hidden >= TIMES * timeout) return undefined;
  return (
    `The queue ${queue.node.path} hides a message for ${hidden} s, ` +
    `which must be at least ${TIMES * timeout} s: six times the ${timeout} s of the function ${lambda.node.path}.`
  );
}

function violationOf(mapping: CfnEventSourceMapping, description: string): PolicyViolation {
  const violatingResources = [{ constructPath: mapping.node.path, locations: ['Properties/EventSourceArn'] }];
  return { ruleName: 'VisibilityTimeout', description, severity: 'error', violatingResources };
}
