import { startTable } from '../support/dynamodb.ts';
import { crashMatrix } from './crash-matrix.ts';
import { FAULTS, type Fault } from './faults.ts';

/** A call of the store goes wrong in one way here, by turns; in every way on AWS's own engine (test/dynamodb-local). */
const faults = (call: string, n: number): readonly Fault[] =>
  call.startsWith('store.') && !process.env.EVERY_FAULT ? FAULTS.filter((_, at) => at === n % FAULTS.length) : FAULTS;

crashMatrix('dynalite', startTable, faults);
