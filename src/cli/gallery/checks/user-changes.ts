import type { JsonObject } from '../../../domain/json.ts';
import {
  type Answer,
  assertAt,
  assertEmpty,
  assertError,
  assertFilled,
  assertStatus,
  CheckSkipped,
  findAt,
} from '../answer.ts';
import { ENTERPRISE, type Stage, toPatch } from '../stage.ts';
import type { Check } from './check.ts';

/** Checks of people who are changed. */
export const userChanges = {
  replace: {
    id: 'replace-user',
    title: 'A PUT of the profile that was read is read back',
    async run(stage) {
      const path = `/Users/${await stage.idOf('bob')}`;
      const body = { ...stage.toPerson('bob'), name: { givenName: 'Rob', familyName: 'Gallery' } };
      assertStatus(await stage.send('PUT', path, { body }), 200);
      assertAt(await stage.send('GET', path), 'name/givenName', 'Rob');
    },
  },
  patch: {
    id: 'patch-user',
    title: 'One PATCH changes several attributes',
    async run(stage) {
      const answer = await patchUser(stage, [
        ['title', 'Curator'],
        ['name.familyName', 'Museum'],
        [`${ENTERPRISE}:department`, 'Paintings'],
      ]);
      assertAt(answer, 'title', 'Curator');
      assertAt(answer, 'name/familyName', 'Museum');
      assertAt(answer, `${ENTERPRISE}/department`, 'Paintings');
    },
  },
  deactivate: {
    id: 'deactivate-user',
    title: 'active: false deactivates, and the user stays readable',
    run: async (stage) => assertAt(await patchUser(stage, [['active', false]]), 'active', false),
  },
  deactivateWithoutPath: {
    id: 'deactivate-without-path',
    title: 'A PATCH without a path deactivates, and the user stays readable',
    run: async (stage) => assertAt(await setActive(stage, false), 'active', false),
  },
  reactivateWithoutPath: {
    id: 'reactivate-without-path',
    title: 'A PATCH without a path activates a user again who was deactivated',
    async run(stage) {
      await setActive(stage, false);
      assertAt(await setActive(stage, true), 'active', true);
    },
  },
  deactivateAsText: {
    id: 'deactivate-as-text',
    title: 'Replace with "False" deactivates',
    async run(stage) {
      const answer = await patchUser(stage, [['active', 'False']], 'Replace');
      assertAt(answer, 'active', false);
    },
  },
  reactivate: {
    id: 'reactivate-user',
    title: 'A user who was deactivated is activated again',
    async run(stage) {
      await patchUser(stage, [['active', false]]);
      assertAt(await patchUser(stage, [['active', true]]), 'active', true);
    },
  },
  clear: {
    id: 'null-update',
    title: 'Optional attributes are emptied by "" and by null',
    async run(stage) {
      const paths = ['title', 'preferredLanguage', `${ENTERPRISE}:department`];
      const shown = ['title', 'preferredLanguage', `${ENTERPRISE}/department`];
      assertFilled(
        await patchUser(
          stage,
          paths.map((path) => [path, 'en']),
        ),
        ...shown,
      );
      for (const empty of ['', null]) {
        assertEmpty(
          await patchUser(
            stage,
            paths.map((path) => [path, empty]),
          ),
          ...shown,
        );
      }
    },
  },
  manager: {
    id: 'manager',
    title: 'A manager is set, changed and removed',
    async run(stage) {
      const path = `${ENTERPRISE}:manager`;
      const shown = `${ENTERPRISE}/manager/value`;
      const ids = [await stage.idOf('bob'), await stage.idOf('ada')];
      const [first = '', second = ''] = ids;
      assertAt(await patchUser(stage, [[path, first]], 'Add'), shown, first);
      assertAt(await patchUser(stage, [[path, second]], 'Replace'), shown, second);
      assertEmpty(await patchUser(stage, [[path, '']], 'Replace'), shown);
    },
  },
  password: {
    id: 'password-dropped',
    title: 'A password that is sent is taken and never shown',
    run: async (stage) =>
      assertEmpty(await patchUser(stage, [['password', 'of-no-use-1']]), 'password'),
  },
  invalidPatch: {
    id: 'invalid-patch',
    title: 'A PATCH that is none is 400 or 422',
    async run(stage) {
      const body = toPatch({ op: 'conjure', path: 'title', value: 'Curator' });
      const answer = await stage.send('PATCH', `/Users/${await stage.idOf('ada')}`, { body });
      assertStatus(answer, 400, 422);
    },
  },
  unknownAttribute: {
    id: 'unknown-attribute',
    title: 'An attribute that no schema has is 400 invalidSyntax',
    async run(stage) {
      const path = `/Users/${await stage.idOf('bob')}`;
      const body = { ...stage.toPerson('bob'), favouriteColour: 'green' };
      const answer = await stage.send('PUT', path, { body });
      assertError(answer, 400);
      assertAt(answer, 'scimType', 'invalidSyntax');
    },
  },
  etag: {
    id: 'etag',
    title: 'If-Match with another version is 412',
    async run(stage) {
      const config = await stage.send('GET', '/ServiceProviderConfig');
      if (findAt(config.body, 'etag/supported') !== true) {
        throw new CheckSkipped('/ServiceProviderConfig does not claim versions');
      }
      const path = `/Users/${await stage.idOf('ada')}`;
      const answer = await stage.send('PATCH', path, {
        body: toPatch({ op: 'replace', path: 'title', value: 'Guard' }),
        headers: { 'if-match': 'W/"of-another-time"' },
      });
      assertError(answer, 412);
    },
  },
} as const satisfies Record<string, Check>;

/** Switches ada as Okta does, and reads her. */
function setActive(stage: Stage, active: boolean): Promise<Answer> {
  return sendPatch(stage, [{ op: 'replace', value: { active } }]);
}

/** Changes ada, one operation a path, and reads her. */
function patchUser(
  stage: Stage,
  changes: readonly (readonly [path: string, value: string | boolean | null])[],
  op: 'add' | 'Add' | 'replace' | 'Replace' = 'replace',
): Promise<Answer> {
  return sendPatch(
    stage,
    changes.map(([path, value]) => ({ op, path, value })),
  );
}

/** Changes ada, and reads her. */
async function sendPatch(stage: Stage, operations: readonly JsonObject[]): Promise<Answer> {
  const at = `/Users/${await stage.idOf('ada')}`;
  const body = toPatch(...operations);
  assertStatus(await stage.send('PATCH', at, { body }), 200, 204);
  const answer = await stage.send('GET', at);
  assertStatus(answer, 200);
  return answer;
}
