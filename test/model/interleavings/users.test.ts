import { describeScenarios } from './run-scenarios.ts';
import { createdTwice } from './scenarios/created-twice.ts';
import { joinedConverge } from './scenarios/joined-converge.ts';
import { refusedThenTaken } from './scenarios/refused-then-taken.ts';
import { silentLeader } from './scenarios/silent-leader.ts';
import { slowLook } from './scenarios/slow-look.ts';

describeScenarios('people', [
  { scenario: refusedThenTaken, schedules: 15 },
  { scenario: joinedConverge, schedules: 10 },
  { scenario: silentLeader, schedules: 15 },
  { scenario: slowLook, schedules: 15 },
  { scenario: createdTwice, schedules: 15 },
]);
