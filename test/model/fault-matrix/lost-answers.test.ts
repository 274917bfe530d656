import { LOST_ANSWERS } from './faults.ts';
import { runMatrix } from './run.ts';

runMatrix('what the service did is not known', LOST_ANSWERS);
