import { AttributeType, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Stage } from '../config.ts';
import { removalPolicyOf } from '../removal.ts';

const WORK_INDEX = 'work';

/** One item per thread is its slot; beside it lie receipts and past prompts (DESIGN: the record). */
export class PromptTable extends Construct {
  readonly table: TableV2;
  readonly workIndexArn: string;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          // Sparse, in lists: what is owed by when it is due, so that open prompts cost the reconciler nothing; what is
          // open and what nobody acknowledged by age, for the gauges.
          indexName: WORK_INDEX,
          partitionKey: { name: 'work', type: AttributeType.STRING },
          sortKey: { name: 'due_at', type: AttributeType.NUMBER },
          // The key is a digest, and the reconciler must know which thread it stands for.
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: ['thread', 'unnotified_since', 'unaudited_since'],
        },
      ],
      // Receipts only: an open prompt has no expiry (decisions.md P8).
      timeToLiveAttribute: 'expires_at',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: stage.removal === 'retain',
      removalPolicy: removalPolicyOf(stage),
    });
    this.workIndexArn = `${this.table.tableArn}/index/${WORK_INDEX}`;
  }
}
