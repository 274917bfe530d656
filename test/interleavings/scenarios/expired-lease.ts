import { killAtSomeStep } from '../kill.ts';
import type { Play } from '../play.ts';
import { patchMembers, patchUser, renameGroup } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkGroupName, checkMemberOutcome, checkUserOutcome } from '../wishes.ts';

/** A call takes longer than the lease, or its process is gone, and another process goes on with newer writes. */
export const expiredLease: Scenario = {
  name: 'a lease that expires during a call',
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
    if (random.chance(0.5)) killAtSomeStep(play);
    return () => checkUserOutcome(play, ada.id);
  },
};

/** The same with a group: its name and who is in it. */
export const expiredGroupLease: Scenario = {
  name: 'a lease of a group that expires during a call',
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
    if (random.chance(0.5)) killAtSomeStep(play);
    return async () => [
      ...(await checkGroupName(play, { id: team.id, before: 'Team' })),
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: true })),
    ];
  },
};

/** About as long as a lease lasts. */
function sleepLong({ world, random, scheduler }: Play): Promise<void> {
  const { lengthMs } = world.policies.reconcile.lease;
  return scheduler.clock('B').sleep(Math.round(lengthMs * (0.5 + random.next())));
}
