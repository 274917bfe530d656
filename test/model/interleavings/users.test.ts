import { describeScenarios } from './run-scenarios.ts';
import { createdTwice } from './scenarios/created-twice.ts';
import { joinedConverge } from './scenarios/joined-converge.ts';
import { refusedThenTaken } from './scenarios/refused-then-taken.ts';
import { silentLeader } from './scenarios/silent-leader.ts';
import { slowLook } from './scenarios/slow-look.ts';

describeScenarios('people', [
  { scenario: refusedThenTaken, schedules: 25 },
  { scenario: joinedConverge, schedules: 20 },
  { scenario: silentLeader, schedules: 15 },
  { scenario: slowLook, schedules: 30 },
  { scenario: createdTwice, schedules: 30 },
]);
