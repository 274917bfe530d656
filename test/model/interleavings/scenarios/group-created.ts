import { killAtSomeStep } from '../kill.ts';
import { patchMembers, postGroup } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkMemberOutcome } from '../wishes.ts';

const NAME = 'Team';

/** A new group with a member on a bad line; the company would take the same group twice. */
export const groupCreated: Scenario = {
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
