import { describe, it } from 'vitest';
import { crashMatrix } from '../crash/crash-matrix.ts';
import { FAULTS } from '../crash/faults.ts';
import { hasJava, startLocalTable } from '../support/dynamodb-local.ts';

/** What the engine has a part in: its own calls. The queue's and the host's go wrong on dynalite, in `npm test`. */
const ofTheStore = (call: string) => (call.startsWith('store.') ? FAULTS : []);

if (hasJava()) crashMatrix('DynamoDB Local', startLocalTable, ofTheStore);
else describe('the crash matrix on DynamoDB Local', () => it.skip('needs Java 17: install openjdk-17-jre-headless'));
