import { BAD } from '../bad-names.ts';
import { patchUser } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkUserOutcome } from '../wishes.ts';

/** Two or three writes of one person through one or two processes; the company refuses the first for good. */
export const refusedThenTaken: Scenario = {
  name: 'two writes to one user, the first refused',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    company.refuse(
      BAD,
      (method, { body }) => method === 'PATCH' && body !== undefined && body.includes(BAD),
    );
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    const wishes = [
      patchUser(ada.id, { name: `${BAD}One` }),
      patchUser(ada.id, { name: 'Taken' }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { active: false })] : []),
      ...(random.chance(0.3) ? [patchUser(ada.id, { name: `${BAD}Two`, active: false })] : []),
    ];
    for (const wish of wishes) {
      const replica = through();
      play.act(replica, async () => void (await play.send(replica, wish)));
    }
    return () => checkUserOutcome(play, ada.id);
  },
};
