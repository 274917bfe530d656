import { describeScenarios } from './run-scenarios.ts';
import { createdTwice } from './scenarios/created-twice.ts';
import { joinedConverge } from './scenarios/joined-converge.ts';
import { refusedThenTaken } from './scenarios/refused-then-taken.ts';
import { silentLeader } from './scenarios/silent-leader.ts';
import { slowLook } from './scenarios/slow-look.ts';

describeScenarios('people', [
  { scenario: refusedThenTaken, schedules: 1_300 },
  { scenario: joinedConverge, schedules: 1_300 },
  { scenario: silentLeader, schedules: 700 },
  { scenario: slowLook, schedules: 1_500 },
  { scenario: createdTwice, schedules: 1_400 },
]);
