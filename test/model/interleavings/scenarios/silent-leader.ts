import { killAtSomeStep } from '../kill.ts';
import type { Play } from '../play.ts';
import type { Replica } from '../replica.ts';
import { patchMembers, patchUser, renameGroup } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkGroupName, checkMemberOutcome, checkUserOutcome } from '../wishes.ts';

/** As long as a leader may be silent, in milliseconds. */
const LEASE_MS = 5_000;
/** Steps of another process after which it falls silent, at most. */
const STEPS_MAX = 12;

/** The leader stands still during a call, or is gone, and another process leads and goes on with newer writes. */
export const silentLeader: Scenario = {
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

/** The same with a group: its name and who is in it. */
export const silentGroupLeader: Scenario = {
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

/** About as long as another process waits before it leads. */
function sleepLong({ random, scheduler }: Play): Promise<void> {
  return scheduler.clock('B').sleep(Math.round(LEASE_MS * (0.5 + random.next())));
}

/** Somewhere in the middle the leader is not heard of any more, whether it knows or not. */
function fallSilent({ random, scheduler, office, act }: Play, other: Replica): void {
  const steps = Math.floor(random.next() * STEPS_MAX);
  act(other, async () => {
    for (let step = 0; step < steps; step += 1) await scheduler.pass(other.name, 'goes on');
    office.silence(random.next);
  });
}
