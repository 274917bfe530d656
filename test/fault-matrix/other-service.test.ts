import { startOtherService } from '../support/other-service.ts';
import { ANSWERS, LOST_ANSWERS } from './faults.ts';
import { runColumns } from './run.ts';

const SOME = ['400', '429 without headers', '503 after the effect', 'cut after the effect'];

runColumns('a service that answers otherwise in everything', {
  faults: [...ANSWERS, ...LOST_ANSWERS]
    .filter(({ name }) => SOME.includes(name))
    .map((fault) => ({ ...fault, lasts: ['once'] })),
  startService: () => startOtherService({ shape: { groupNames: 'any' } }),
});
