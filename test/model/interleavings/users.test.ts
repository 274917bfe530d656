import { getRow, updateRow } from '../../../src/store/resources/rows.ts';
import { listWhere } from '../../../src/store/tables.ts';
import type { Play, SentWish } from './play.ts';
import type { Replica } from './replica.ts';
import { BAD, patchUser, postUser, remove } from './requests.ts';
import type { Scenario } from './run-schedule.ts';
import { describeScenarios } from './run-schedule.ts';
import { checkUserOutcome, fallSilent, killAtSomeStep, sleepLong } from './wishes.ts';

const refusedThenTaken: Scenario = {
  name: 'two writes to one user, the first refused',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    company.refuse(
      BAD,
      (method, { body }) => method === 'PATCH' && body !== undefined && body.includes(BAD),
    );
    const replicas = await play.addReplicas();
    const wishes = [
      patchUser(ada.id, { name: `${BAD}One` }),
      patchUser(ada.id, { name: 'Taken' }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { active: false })] : []),
      ...(random.chance(0.3) ? [patchUser(ada.id, { name: `${BAD}Two`, active: false })] : []),
    ];
    play.ask(replicas, wishes);
    return () => checkUserOutcome(play, ada.id);
  },
};

const joinedConverge: Scenario = {
  name: 'a write that joins a running converge',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const replicas = await play.addReplicas();
    play.setTrouble(
      random.pick([{}, { answerLost: 0.2, lost: 0.1 }, { unavailable: 0.2, unavailableDone: 0.1 }]),
    );
    const wishes = [
      patchUser(ada.id, { name: 'One' }),
      patchUser(ada.id, { name: 'Two', active: false }),
      patchUser(ada.id, { active: random.chance(0.5) }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { name: 'Three' })] : []),
    ];
    play.ask(replicas, wishes);
    return () => checkUserOutcome(play, ada.id);
  },
};

const slowLook: Scenario = {
  name: 'a slow read overtaken by a write',
  async begin(play) {
    const { random, company, scheduler } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    if (random.chance(0.5)) company.service.updateUser(ada.account.id, { active: false });
    await play.world.store.write(async (tx) => {
      const change = { must_look: 1, cells: { active: { pending: 1 } }, due_at: scheduler.now() };
      await updateRow(tx, await getRow(tx, { type: 'user', id: ada.id }), change);
    });
    const replicas = await play.addReplicas();
    play.setTrouble(random.pick([{}, { answerLost: 0.2, lost: 0.1 }]));
    const wishes = [
      patchUser(ada.id, { name: 'One' }),
      patchUser(ada.id, { name: 'Two' }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { active: false })] : []),
    ];
    play.ask(replicas, wishes);
    return () => checkUserOutcome(play, ada.id);
  },
};

const NAME = 'ada@example.com';

const createdTwice: Scenario = {
  name: 'one person created twice',
  async begin(play) {
    const { random } = play;
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{}, { answerLost: 0.3, lost: 0.1 }, { unavailableDone: 0.3 }]));
    play.company.refuse(BAD, (_, { body }) => body?.includes(BAD) === true);
    for (const name of [random.chance(0.3) ? `${BAD}One` : 'One', 'Two']) {
      const replica = through();
      play.act(replica, async () => void (await play.send(replica, postUser(NAME, name))));
    }
    if (random.chance(0.6)) changeMeanwhile(play, through());
    if (random.chance(0.4)) killAtSomeStep(play);
    return () => checkOnce(play);
  },
};

function changeMeanwhile(play: Play, replica: Replica): void {
  const { random, scheduler, sent } = play;
  play.act(replica, async () => {
    for (let tries = 0; tries < 20; tries += 1) {
      const id = sent.find(({ stored }) => stored !== undefined)?.stored?.id;
      if (id !== undefined) {
        const wishes = [patchUser(id, { name: 'Later' }), patchUser(id, { active: false })];
        await play.send(replica, random.pick([...wishes, remove('user', id)]));
        return;
      }
      await scheduler.pass(replica.name, 'waits for somebody');
    }
  });
}

async function checkOnce(play: Play): Promise<string[]> {
  const posts = play.sent.filter(({ request }) => request.method === 'POST');
  const isDeleted = ({ stored }: SentWish) =>
    play.sent.some(({ request }) => request.method === 'DELETE' && request.id === stored?.id);
  const kept = posts.filter((post) => post.status === 200 && !isDeleted(post));
  const rows = await listWhere(play.world.store.read, 'resources', {});
  const live = rows.filter(({ deleted_at }) => deleted_at === null);
  const accounts = play.company.service.users().filter(({ active }) => active).length - 1;
  const isNobody = posts.every(({ status }) => status !== undefined && status !== 200);
  const problems: string[] = [];
  if (kept.length > 1) problems.push('both were created');
  if (live.length > 1) problems.push(`there are ${live.length} people`);
  if (isNobody && live.length + accounts > 0)
    problems.push(`nobody was created, and ${live.length} people, ${accounts} accounts are there`);
  for (const { stored } of kept) {
    if (stored) problems.push(...(await checkUserOutcome(play, stored.id)));
  }
  return problems;
}

const silentLeader: Scenario = {
  name: 'a leader that falls silent during a call',
  timePasses: 0.12,
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const [slow, other] = [await play.addReplica('A'), await play.addReplica('B')];
    play.setTrouble(random.pick([{}, { answerLost: 0.2, unavailableDone: 0.1 }]));
    play.act(slow, async () => void (await play.send(slow, patchUser(ada.id, { name: 'One' }))));
    play.act(slow, async () => void (await play.send(slow, patchUser(ada.id, { active: false }))));
    play.act(other, async () => {
      await sleepLong(play);
      await play.send(other, patchUser(ada.id, { name: 'Two', active: random.chance(0.5) }));
      await play.send(other, patchUser(ada.id, { name: 'Three' }));
    });
    if (random.chance(0.3)) killAtSomeStep(play);
    else if (random.chance(0.8)) fallSilent(play, other);
    return () => checkUserOutcome(play, ada.id);
  },
};

describeScenarios('people', [
  { scenario: refusedThenTaken, schedules: 15 },
  { scenario: joinedConverge, schedules: 10 },
  { scenario: silentLeader, schedules: 15 },
  { scenario: slowLook, schedules: 15 },
  { scenario: createdTwice, schedules: 15 },
]);
