import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { expectThat } from '../expect.ts';
import { ADA, COLLEAGUES, GRACE, PAYROLL, type Person } from '../people.ts';
import type { Asked, Talk } from '../talk.ts';

/** Okta looks each person up, creates them, and pushes a group. */
export async function playOkta(talk: Talk): Promise<void> {
  const { screen, world } = talk;
  await screen.headline('Okta provisions people, and links a group that is there already');
  const ids = [await provision(talk.ask, ADA), await provision(talk.ask, GRACE)];
  for (const person of COLLEAGUES) await provision(talk.askQuietly, person);
  await screen.say(`… and the same for ${COLLEAGUES.length} colleagues`);
  const id = await findGroup(talk);
  const value = ids.map((id, n) => ({ value: id, display: [ADA, GRACE][n]?.email ?? '' }));
  await talk.ask({
    as: 'okta',
    method: 'PATCH',
    path: `/scim/v2/Groups/${id}`,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'members', value }],
    },
  });
  const { service } = world;
  const members = service.members(PAYROLL);
  expectThat(members.join() === `${ADA.email},${GRACE.email}`, `${PAYROLL} has its two members`);
  const people = [ADA, GRACE, ...COLLEAGUES];
  expectThat(
    people.every(({ email }) => service.findUser(email)?.active === true),
    'everybody of Okta has an active account',
  );
  await screen.say(
    `The service now has ${people.length} accounts more, and ${PAYROLL} with ${members.join(' and ')}.`,
  );
}

/** The group is there already: Okta's first write to it takes it over. */
async function findGroup({ ask }: Talk): Promise<string> {
  const filter = encodeURIComponent(`displayName eq "${PAYROLL}"`);
  const path = `/scim/v2/Groups?filter=${filter}&startIndex=1&count=100`;
  const { Resources: found } = await ask({ as: 'okta', method: 'GET', path });
  const group = Array.isArray(found) ? found.find(isJsonObject) : undefined;
  expectThat(group !== undefined, `${PAYROLL} is found`);
  return String(group?.id);
}

/** As Okta does it: a look-up, then a POST. Gives the SCIM id. */
async function provision(
  ask: (asked: Asked) => Promise<JsonObject>,
  person: Person,
): Promise<string> {
  const { email: userName } = person;
  const filter = encodeURIComponent(`userName eq "${userName}"`);
  const path = `/scim/v2/Users?filter=${filter}&startIndex=1&count=100`;
  const found = await ask({ as: 'okta', method: 'GET', path });
  expectThat(found.totalResults === 0, `nobody is called ${userName} yet`);
  const user = await ask({
    as: 'okta',
    method: 'POST',
    path: '/scim/v2/Users',
    body: toOktaUser(person),
  });
  return String(user.id);
}

function toOktaUser({ given, family, email }: Person): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: email,
    name: { givenName: given, familyName: family },
    emails: [{ primary: true, value: email, type: 'work' }],
    displayName: `${given} ${family}`,
    locale: 'en-US',
    externalId: `00u${given.toLowerCase()}`,
    groups: [],
    password: 'of-no-use-here',
    active: true,
  };
}
