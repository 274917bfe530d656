import { describeScenarios } from './run-scenarios.ts';
import { changingMembers } from './scenarios/changing-members.ts';
import { deletedAndBack } from './scenarios/deleted-and-back.ts';
import { groupBack } from './scenarios/group-back.ts';
import { groupCreated } from './scenarios/group-created.ts';
import { groupPush } from './scenarios/group-push.ts';
import { silentGroupLeader } from './scenarios/silent-leader.ts';

describeScenarios('people and their groups', [
  { scenario: deletedAndBack, schedules: 10 },
  { scenario: changingMembers, schedules: 8 },
  { scenario: silentGroupLeader, schedules: 5 },
  { scenario: groupCreated, schedules: 15 },
  { scenario: groupPush, schedules: 6 },
  { scenario: groupBack, schedules: 10 },
]);
