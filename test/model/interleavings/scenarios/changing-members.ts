import type { SandboxUser } from '../../../../src/sandbox/model.ts';
import type { Company } from '../company.ts';
import { killAtSomeStep } from '../kill.ts';
import { patchMembers } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkMemberOutcome } from '../wishes.ts';

/** Several requests change who is in one group; the company never takes one of the people. */
export const changingMembers: Scenario = {
  name: 'members come and go, and one is refused',
  async begin(play) {
    const { random, company } = play;
    const ada = await play.addUser('ada@example.com', 'created');
    const bob = await play.addUser('bob@example.com', 'created');
    const eve = await play.addUser('eve@example.com', 'created');
    const isIn = random.chance(0.5);
    const team = await play.addGroup('Team', 'created', isIn ? [bob.account] : []);
    refuseMember(company, eve);
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(
      random.pick([{}, {}, { answerLost: 0.2, lost: 0.1 }, { unavailableDone: 0.2 }]),
    );
    const wishes = [
      patchMembers(team.id, { add: [ada.id, eve.id] }),
      patchMembers(team.id, random.pick([{ add: [ada.id] }, { add: [bob.id], remove: [ada.id] }])),
      ...(random.chance(0.4) ? [patchMembers(team.id, { remove: [eve.id, bob.id] })] : []),
    ];
    for (const wish of wishes) {
      const replica = through();
      play.act(replica, async () => void (await play.send(replica, wish)));
    }
    if (random.chance(0.2)) killAtSomeStep(play);
    return async () => [
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: isIn })),
      ...(await checkMemberOutcome(play, { group: team.id, user: eve.id, before: false })),
    ];
  },
};

/** Both forms of adding this account to a group are refused. */
function refuseMember(company: Company, eve: { id: string; account: SandboxUser }): void {
  const accountId = eve.account.id;
  company.refuse(eve.id, (method, { path, body }) => {
    if (body === undefined) return false;
    if (method === 'POST')
      return path.endsWith('/users') && body.includes(`"user_id":${accountId}`);
    return body.includes(`"op":"add","path":"members","value":${accountId}`);
  });
}
