import { startTable } from '../support/dynamodb.ts';
import { promptStoreSuite } from '../support/prompt-store-suite.ts';

promptStoreSuite('dynalite', startTable);
