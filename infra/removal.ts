import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from './config.ts';

/** What people wrote outlives the stack, unless the stage is there to be thrown away. */
export function removalPolicyOf(stage: Stage): RemovalPolicy {
  return stage.removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}
