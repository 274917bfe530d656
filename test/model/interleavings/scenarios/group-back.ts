import { BAD } from '../bad-names.ts';
import type { Play, SentWish } from '../play.ts';
import { patchMembers, postGroup, remove, renameGroup } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkGroupName, checkMemberOutcome } from '../wishes.ts';

const NAME = 'Team';

/** A group is deleted and created again under its name, while it is renamed and its members change. */
export const groupBack: Scenario = {
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
    return async () => checkSuccessor(play, { created, bob: bob.id });
  },
};

async function checkSuccessor(
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
