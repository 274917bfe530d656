import { BAD } from '../bad-names.ts';
import { killAtSomeStep } from '../kill.ts';
import type { Play, SentWish } from '../play.ts';
import type { Replica } from '../replica.ts';
import { patchUser, postUser, remove } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkUserOutcome } from '../wishes.ts';

const NAME = 'ada@example.com';

/**
 * The same new person is asked for twice, on a bad line; while the account is made, a third request changes
 * or deletes the person, and a process may be killed.
 */
export const createdTwice: Scenario = {
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

/** As soon as somebody is stored, and mostly before there is an account. */
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
  const rows = await play.world.store.read.selectFrom('resources').selectAll().execute();
  const live = rows.filter(({ deleted_at }) => deleted_at === null);
  const accounts = play.company.service.users().filter(({ active }) => active).length - 1;
  const isNobody = posts.every(({ status }) => status !== undefined && status !== 200);
  const problems: string[] = [];
  if (kept.length > 1) problems.push('both were created');
  if (live.length > 1) problems.push(`there are ${live.length} people`);
  if (isNobody && live.length + accounts > 0) {
    problems.push(`nobody was created, and ${live.length} people, ${accounts} accounts are there`);
  }
  for (const { stored } of kept) {
    if (stored) problems.push(...(await checkUserOutcome(play, stored.id)));
  }
  return problems;
}
