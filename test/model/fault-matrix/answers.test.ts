import { ANSWERS } from './faults.ts';
import { runMatrix } from './run.ts';

runMatrix('the service answers something else', ANSWERS);
