import { updateRow } from '../../../../src/store/resources/rows.ts';
import { patchUser } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkUserOutcome } from '../wishes.ts';

/** What the service held is read slowly while writes change it; what was known before is out of date. */
export const slowLook: Scenario = {
  name: 'a slow read overtaken by a write',
  async begin(play) {
    const { random, company, scheduler } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    if (random.chance(0.5)) company.service.updateUser(ada.account.id, { active: false });
    await play.world.store.write((tx) =>
      updateRow(
        tx,
        { type: 'user', id: ada.id },
        {
          must_look: 1,
          cells: '{"active":{"pending":1}}',
          due_at: scheduler.now(),
        },
      ),
    );
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{}, { answerLost: 0.2, lost: 0.1 }]));
    const wishes = [
      patchUser(ada.id, { name: 'One' }),
      patchUser(ada.id, { name: 'Two' }),
      ...(random.chance(0.5) ? [patchUser(ada.id, { active: false })] : []),
    ];
    for (const wish of wishes) {
      const replica = through();
      play.act(replica, async () => void (await play.send(replica, wish)));
    }
    return () => checkUserOutcome(play, ada.id);
  },
};
