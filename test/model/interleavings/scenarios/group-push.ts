import type { Play } from '../play.ts';
import { GIVEN_NAME, patchMembers, postGroup, postUser } from '../requests.ts';
import type { Scenario } from '../run-schedule.ts';
import { checkMemberOutcome } from '../wishes.ts';

/** A provider takes over people and their group, and pushes members, while another request adds one more. */
export const groupPush: Scenario = {
  name: 'adopt and group push',
  async begin(play) {
    const { random } = play;
    const ada = await play.addUser('ada@example.com', 'observed');
    const bob = await play.addUser('bob@example.com', 'observed');
    const cyd = await play.addUser('cyd@example.com', 'created');
    const team = await play.addGroup('Team', 'observed', [bob.account]);
    const replicas = await play.addReplicas();
    const through = () => random.pick(replicas);
    play.setTrouble(random.pick([{}, {}, { answerLost: 0.15 }, { unavailableDone: 0.15 }]));
    const people = through();
    play.act(
      people,
      async () => void (await play.send(people, postUser('ada@example.com', 'Own'))),
    );
    const pushing = through();
    play.act(pushing, async () => {
      const adopts = random.chance(0.7);
      const wish = adopts ? postGroup('Team', [ada.id]) : patchMembers(team.id, { add: [ada.id] });
      await play.send(pushing, wish);
    });
    const other = through();
    play.act(other, async () => {
      if (random.chance(0.5)) await play.send(other, postUser('dan@example.com', 'New'));
      const dan = play.sent.find(({ request }) => request.body?.userName === 'dan@example.com');
      const added = dan?.stored?.id ?? cyd.id;
      await play.send(other, patchMembers(team.id, { add: [added] }));
    });
    return async () => [
      ...(await checkMemberOutcome(play, { group: team.id, user: ada.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: cyd.id, before: false })),
      ...(await checkMemberOutcome(play, { group: team.id, user: bob.id, before: true })),
      ...checkBaseline(play, bob.account.id, team.group.id),
    ];
  },
};

/** Nobody asked for Bob to leave, nor for another name of his. */
function checkBaseline({ company }: Play, bob: number, group: number): string[] {
  const isIn = company.directory.state.links.member.usersOf(group).has(bob);
  const name = company.service.getUser(bob).fullName;
  return [
    ...(isIn ? [] : ['who was in the group before is not in it any more']),
    ...(name === `${GIVEN_NAME} First` ? [] : [`who was never asked for is called ${name}`]),
  ];
}
