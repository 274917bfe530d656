import type { SandboxUser } from '../../../src/sandbox/model.ts';
import { LIVE, listRows } from '../../../src/store/resources/rows.ts';
import type { Company } from './company.ts';
import type { Play, SentWish } from './play.ts';
import {
  BAD,
  GIVEN_NAME,
  patchMembers,
  patchUser,
  postGroup,
  postUser,
  remove,
  renameGroup,
} from './requests.ts';
import type { Scenario } from './run-schedule.ts';
import { describeScenarios } from './run-schedule.ts';
import {
  checkGroupName,
  checkMemberOutcome,
  checkUserOutcome,
  fallSilent,
  killAtSomeStep,
  sleepLong,
} from './wishes.ts';

const ADA = 'ada@example.com';

const deletedAndBack: Scenario = {
  name: 'delete and re-create',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser(ADA, 'created');
    const team = await play.addGroup('Team', 'created', [ada.account]);
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{}, {}, { answerLost: 0.2, unavailableDone: 0.1 }]));
    const created: SentWish[] = [];
    const deleting = through();
    play.act(deleting, async () => {
      const deleted = await play.send(deleting, remove('user', ada.id));
      if (deleted.status !== 200 || !random.chance(0.8)) return;
      const replica = random.chance(0.5) ? deleting : through();
      created.push(await play.send(replica, postUser(ADA, 'Second')));
      const id = created[0]?.stored?.id;
      if (id === undefined || !random.chance(0.5)) return;
      await play.send(replica, patchMembers(team.id, { add: [id] }));
    });
    if (random.chance(0.5)) {
      const replica = through();
      const wish = random.chance(0.5)
        ? patchUser(ada.id, { name: 'Late', active: true })
        : patchMembers(team.id, { remove: [ada.id] });
      play.ask([replica], [wish]);
    }
    return async () => checkSuccessor(play, created);
  },
};

async function checkSuccessor(play: Play, created: readonly SentWish[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { status, detail, stored } of created) {
    if (status !== 200) problems.push(`the second POST was answered ${status}: ${detail}`);
    if (stored === undefined) continue;
    const [row] = await listRows(play.world.store.read, 'user', { id: stored.id, ...LIVE });
    if (row === undefined) problems.push(`${stored.id}: is not there`);
    else problems.push(...(await checkUserOutcome(play, stored.id)));
  }
  return problems;
}

const changingMembers: Scenario = {
  name: 'members come and go, and one is refused',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const bob = await play.addUser('bob@example.com', 'created');
    const eve = await play.addUser('eve@example.com', 'created');
    const isIn = random.chance(0.5);
    const team = await play.addGroup('Team', 'created', isIn ? [bob.account] : []);
    refuseMember(company, eve);
    const replicas = await play.addReplicas();
    play.setTrouble(
      random.pick([{}, {}, { answerLost: 0.2, lost: 0.1 }, { unavailableDone: 0.2 }]),
    );
    const wishes = [
      patchMembers(team.id, { add: [ada.id, eve.id] }),
      patchMembers(team.id, random.pick([{ add: [ada.id] }, { add: [bob.id], remove: [ada.id] }])),
      ...(random.chance(0.4) ? [patchMembers(team.id, { remove: [eve.id, bob.id] })] : []),
    ];
    play.ask(replicas, wishes);
    if (random.chance(0.2)) killAtSomeStep(play);
    return async () => [
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: isIn })),
      ...(await checkMemberOutcome(play, { group: team.id, user: eve.id, before: false })),
    ];
  },
};

function refuseMember(company: Company, eve: { id: string; account: SandboxUser }): void {
  const accountId = eve.account.id;
  company.refuse(eve.id, (method, { path, body }) => {
    if (body === undefined) return false;
    if (method === 'POST')
      return path.endsWith('/users') && body.includes(`"user_id":${accountId}`);
    return body.includes(`"op":"add","path":"members","value":${accountId}`);
  });
}

const NAME = 'Team';

const groupCreated: Scenario = {
  name: 'one group created on a bad line',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    company.allowSameNames();
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{ answerLost: 0.3, lost: 0.1 }, { unavailableDone: 0.3 }]));
    for (let posts = random.chance(0.3) ? 2 : 1; posts > 0; posts -= 1) {
      const replica = through();
      play.act(replica, async () => {
        const { status, stored } = await play.send(replica, postGroup(NAME, [ada.id]));
        if (status !== 200 || stored === undefined || !random.chance(0.3)) return;
        await play.send(replica, patchMembers(stored.id, { remove: [ada.id] }));
      });
    }
    if (random.chance(0.4)) killAtSomeStep(play);
    return async () => {
      const problems = company.service.groups().length > 1 ? ['the group is there twice'] : [];
      const taken = play.sent.filter(({ request }) => request.method === 'POST');
      for (const { stored, status } of taken) {
        if (stored === undefined || status !== 200) continue;
        const link = { group: stored.id, user: ada.id, before: false };
        problems.push(...(await checkMemberOutcome(play, link)));
      }
      return problems;
    };
  },
};

const groupPush: Scenario = {
  name: 'adopt and group push',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'observed');
    const bob = await play.addUser('bob@example.com', 'observed');
    const cyd = await play.addUser('cyd@example.com', 'created');
    const team = await play.addGroup('Team', 'observed', [bob.account]);
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{}, {}, { answerLost: 0.15 }, { unavailableDone: 0.15 }]));
    const people = through();
    play.act(
      people,
      async () => void (await play.send(people, postUser('ada@example.com', 'Own'))),
    );
    const pushing = through();
    play.act(pushing, async () => {
      const adopts = random.chance(0.7);
      const wish = adopts ? postGroup('Team', [ada.id]) : patchMembers(team.id, { add: [ada.id] });
      await play.send(pushing, wish);
    });
    const other = through();
    play.act(other, async () => {
      if (random.chance(0.5)) await play.send(other, postUser('dan@example.com', 'New'));
      const dan = play.sent.find(({ request }) => request.body?.userName === 'dan@example.com');
      const added = dan?.stored?.id ?? cyd.id;
      await play.send(other, patchMembers(team.id, { add: [added] }));
    });
    return async () => [
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: cyd.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: true })),
      ...checkBaseline(play, bob.account.id, team.group.id),
    ];
  },
};

function checkBaseline({ company }: Play, bob: number, group: number): string[] {
  const isIn = company.service.state.usersOf('member', group).has(bob);
  const name = company.service.getUser(bob).fullName;
  return [
    ...(isIn ? [] : ['who was in the group before is not in it any more']),
    ...(name === `${GIVEN_NAME} First` ? [] : [`who was never asked for is called ${name}`]),
  ];
}

const groupBack: Scenario = {
  name: 'a group deleted and created again',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const bob = await play.addUser('bob@example.com', 'created');
    const team = await play.addGroup(NAME, 'created', [ada.account]);
    company.refuse(BAD, (_, { body }) => body?.includes(BAD) === true);
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(
      random.pick([{}, {}, { answerLost: 0.2, lost: 0.1 }, { unavailableDone: 0.2 }]),
    );
    const created: SentWish[] = [];
    const deleting = through();
    play.act(deleting, async () => {
      const deleted = await play.send(deleting, remove('group', team.id));
      if (deleted.status !== 200 || !random.chance(0.8)) return;
      const replica = random.chance(0.5) ? deleting : through();
      created.push(await play.send(replica, postGroup(NAME, [bob.id])));
    });
    const other = through();
    play.act(other, async () => {
      await play.send(other, patchMembers(team.id, { add: [bob.id], remove: [ada.id] }));
      if (random.chance(0.5)) await play.send(other, renameGroup(team.id, `${BAD}Team`));
      if (random.chance(0.5)) await play.send(other, renameGroup(team.id, 'Other'));
    });
    return async () => checkGroupSuccessor(play, { created, bob: bob.id });
  },
};

async function checkGroupSuccessor(
  play: Play,
  { created, bob }: { created: readonly SentWish[]; bob: string },
): Promise<string[]> {
  const problems: string[] = [];
  for (const { status, detail, stored } of created) {
    if (status !== 200) problems.push(`the second POST was answered ${status}: ${detail}`);
    if (stored === undefined) continue;
    problems.push(...(await checkGroupName(play, { id: stored.id, before: NAME })));
    problems.push(
      ...(await checkMemberOutcome(play, { group: stored.id, user: bob, before: false })),
    );
  }
  return problems;
}

const silentGroupLeader: Scenario = {
  name: 'a leader that falls silent during a call of a group',
  timePasses: 0.12,
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const bob = await play.addUser('bob@example.com', 'created');
    const team = await play.addGroup('Team', 'created', [bob.account]);
    const [slow, other] = [await play.addReplica('A'), await play.addReplica('B')];
    play.setTrouble(random.pick([{}, { answerLost: 0.2, unavailableDone: 0.1 }]));
    const first = patchMembers(team.id, { add: [ada.id], remove: [bob.id] });
    play.act(slow, async () => void (await play.send(slow, first)));
    play.act(slow, async () => void (await play.send(slow, renameGroup(team.id, 'One'))));
    play.act(other, async () => {
      if (random.chance(0.5)) await sleepLong(play);
      await play.send(other, renameGroup(team.id, 'Two'));
      await play.send(other, patchMembers(team.id, { add: [bob.id], remove: [ada.id] }));
    });
    if (random.chance(0.3)) killAtSomeStep(play);
    else if (random.chance(0.8)) fallSilent(play, other);
    return async () => [
      ...(await checkGroupName(play, { id: team.id, before: 'Team' })),
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: true })),
    ];
  },
};

describeScenarios('people and their groups', [
  { scenario: deletedAndBack, schedules: 10 },
  { scenario: changingMembers, schedules: 8 },
  { scenario: silentGroupLeader, schedules: 5 },
  { scenario: groupCreated, schedules: 15 },
  { scenario: groupPush, schedules: 6 },
  { scenario: groupBack, schedules: 10 },
]);
