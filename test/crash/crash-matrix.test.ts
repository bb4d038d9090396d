import { startTable } from '../support/dynamodb.ts';
import { crashMatrix } from './crash-matrix.ts';

crashMatrix('dynalite', startTable, () => true);
