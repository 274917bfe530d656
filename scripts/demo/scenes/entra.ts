import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/domain/json.ts';
import { expectThat } from '../expect.ts';
import { ALAN, BARBARA, type Person, PLATFORM } from '../people.ts';
import type { Talk } from '../talk.ts';

/** Entra creates two people and a group in its own dialect, and deactivates who leaves. */
export async function playEntra(talk: Talk): Promise<void> {
  const { screen, world } = talk;
  await screen.headline('Microsoft Entra ID provisions in its own dialect');
  const alan = await provision(talk, ALAN);
  const barbara = await provision(talk, BARBARA);
  const group = await talk.ask({
    as: 'entra',
    method: 'POST',
    path: '/scim/v2/Groups',
    body: {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:Group',
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: randomUUID(),
      displayName: PLATFORM,
      meta: { resourceType: 'Group' },
    },
  });
  const member = { $ref: null, value: alan };
  await patch(talk, `Groups/${String(group.id)}`, { op: 'Add', path: 'members', value: [member] });
  // Whoever leaves the scope: the value is a string.
  await patch(talk, `Users/${barbara}`, { op: 'Replace', path: 'active', value: 'False' });
  const { service } = world;
  expectThat(service.members(PLATFORM).join() === ALAN.email, `Alan is in ${PLATFORM}`);
  expectThat(!service.getUser(BARBARA.email).active, 'Barbara is deactivated');
  await screen.say(`Alan is in ${PLATFORM}; Barbara's account is deactivated.`);
}

async function provision(talk: Talk, { given, family, email }: Person): Promise<string> {
  const path = `/scim/v2/Users?filter=userName+eq+"${email}"`;
  const found = await talk.ask({ as: 'entra', method: 'GET', path });
  expectThat(found.totalResults === 0, `nobody is called ${email} yet`);
  const body: JsonObject = {
    schemas: [
      'urn:ietf:params:scim:schemas:core:2.0:User',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    ],
    externalId: randomUUID(),
    userName: email,
    active: true,
    emails: [{ primary: true, type: 'work', value: email }],
    meta: { resourceType: 'User' },
    name: { formatted: `${given} ${family}`, familyName: family, givenName: given },
    roles: [],
  };
  return String((await talk.ask({ as: 'entra', method: 'POST', path: '/scim/v2/Users', body })).id);
}

async function patch(talk: Talk, resource: string, operation: JsonObject): Promise<void> {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  const path = `/scim/v2/${resource}`;
  await talk.ask({
    as: 'entra',
    method: 'PATCH',
    path,
    body: { schemas, Operations: [operation] },
  });
}
