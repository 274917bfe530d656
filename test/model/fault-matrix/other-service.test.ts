import { startOtherService } from '../../support/other-service.ts';
import { ANSWERS, type FaultCase, LOST_ANSWERS } from './faults.ts';
import { runColumns } from './run.ts';

const SOME = ['400', 'cut after the effect'];

const once = [...ANSWERS, ...LOST_ANSWERS].map(
  (fault): FaultCase => ({ ...fault, lasts: ['once'] }),
);

runColumns('a service that answers otherwise in everything', {
  faults: once.filter(({ name }) => SOME.includes(name)),
  startService: () => startOtherService({ shape: { groupNames: 'any' } }),
});
