import { patchUser } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkUserOutcome } from '../wishes.ts';

/** Writes of the same person that come while others are on their way, on a bad line. */
export const joinedConverge: Scenario = {
  name: 'a write that joins a running converge',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(
      random.pick([{}, { answerLost: 0.2, lost: 0.1 }, { unavailable: 0.2, unavailableDone: 0.1 }]),
    );
    const wishes = [
      patchUser(ada.id, { name: 'One' }),
      patchUser(ada.id, { name: 'Two', active: false }),
      patchUser(ada.id, { active: random.chance(0.5) }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { name: 'Three' })] : []),
    ];
    for (const wish of wishes) {
      const replica = through();
      play.act(replica, async () => void (await play.send(replica, wish)));
    }
    return () => checkUserOutcome(play, ada.id);
  },
};
