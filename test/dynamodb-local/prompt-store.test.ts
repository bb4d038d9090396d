import { describe, it } from 'vitest';
import { hasJava, startLocalTable } from '../support/dynamodb-local.ts';
import { promptStoreSuite } from '../support/prompt-store-suite.ts';

if (hasJava()) promptStoreSuite('DynamoDB Local', startLocalTable);
else describe('prompt store on DynamoDB Local', () => it.skip('needs Java 17: install openjdk-17-jre-headless'));
