import { LIVE, listRows } from '../../../../src/store/resources/rows.ts';
import type { Play, SentWish } from '../play.ts';
import { patchMembers, patchUser, postUser, remove } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkUserOutcome } from '../wishes.ts';

const NAME = 'ada@example.com';

/** Somebody is deleted and created again while other writes and their groups are on their way. */
export const deletedAndBack: Scenario = {
  name: 'delete and re-create',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser(NAME, 'created');
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
      created.push(await play.send(replica, postUser(NAME, 'Second')));
      const id = created[0]?.stored?.id;
      if (id === undefined || !random.chance(0.5)) return;
      await play.send(replica, patchMembers(team.id, { add: [id] }));
    });
    if (random.chance(0.5)) {
      const replica = through();
      const wish = random.chance(0.5)
        ? patchUser(ada.id, { name: 'Late', active: true })
        : patchMembers(team.id, { remove: [ada.id] });
      play.act(replica, async () => void (await play.send(replica, wish)));
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
