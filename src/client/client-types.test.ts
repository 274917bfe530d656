import { expect, expectTypeOf, test } from 'vitest';
import type { PositionedPage, RedirectTarget } from '../upstream/operations/call-types.ts';
import type { PagedArguments } from './client-types.ts';
import type { Client } from './create-client.ts';
import type { Space } from './operations.ts';

async function answersOf(client: Client) {
  const path = { card_uid: 'c', id: '1' };
  const getFile = client.restrictedAccessCardFiles.getCardFile;
  const list = client.documents.retrieveListOfDocuments;
  return {
    listed: await list(),
    asBefore: await list({ query: { version: 1 } }),
    positioned: await list({ query: { version: 2 } }),
    target: await getFile({ path, query: { redirect: true } }),
    unshown: await client.cards.retrieveCardList(),
    removed: await client.spaces.removeSpace({ path: { space_id: 1 } }),
    nothing: await client.cardTypeTreeEntities.deleteTreeEntityFromCardType({
      path: { type_id: 1, uid: 'u' },
    }),
    headed: await client.spaces.retrieveSpace({ path: { space_id: 1 } }).withResponse(),
  };
}
type Answers = Awaited<ReturnType<typeof answersOf>>;
type Document = Answers['listed'][number];

test('an answer has the documented fields, typed as far as anything says how', () => {
  expectTypeOf<Document['uid']>().toEqualTypeOf<string>();
  expectTypeOf<Answers['asBefore']>().toEqualTypeOf<Document[]>();
  expectTypeOf<Answers['unshown']>().toEqualTypeOf<Record<string, unknown>[]>();
  expectTypeOf<Space['settings']>().toEqualTypeOf<unknown>();
  expectTypeOf<Space['created']>().toEqualTypeOf<string>();
});

test('a removal may answer nothing, and another operation never does', () => {
  expectTypeOf<Answers['removed']>().toEqualTypeOf<{ id: number } | undefined>();
  expectTypeOf<Answers['nothing']>().toEqualTypeOf<undefined>();
});

test('an answer is to be had with its status and headers', () => {
  expectTypeOf<Answers['headed']['content']>().toEqualTypeOf<Space>();
  expectTypeOf<Answers['headed']['status']>().toEqualTypeOf<number>();
});

test('version 2 answers a page with its position', () => {
  expectTypeOf<Answers['positioned']>().toEqualTypeOf<PositionedPage<Document>>();
});

test('a redirect that was asked for is its target', () => {
  expectTypeOf<Answers['target']>().toEqualTypeOf<RedirectTarget>();
});

async function askFurther(client: Client) {
  const space = await client.spaces.createNewSpace({ body: { title: 'A' } });
  const again = await client.spaces.retrieveSpace({ path: { space_id: space.id } });
  const board = await client.spaceBoards.createNewBoard({
    path: { space_id: again.id },
    body: { title: 'B' },
  });
  const card = await client.cards.createNewCard({ body: { title: 'C', board_id: board.id } });
  await client.boards.getBoard({ path: { id: board.id } });
  await client.cardComments.addComment({ path: { card_id: card.id }, body: { text: 'D' } });
  const group = await client.groups.createGroup({ body: { name: 'E' } });
  const [user] = await client.groupUsers.getListOfGroupUsers({ path: { group_uid: group.uid } });
  const documents = await client.documents.retrieveListOfDocuments();
  await client.documents.retrieveDocument({ path: { document_uid: documents[0]?.uid ?? '' } });
  return Date.parse(space.created) + (user?.id ?? 0);
}

test('the id in an answer fits the call that takes it, and a time is text', () => {
  expectTypeOf(askFurther).returns.resolves.toEqualTypeOf<number>();
});

test('a list is asked without its page', () => {
  type Paged = PagedArguments<{ readonly query?: { limit?: number; filter?: string } | undefined }>;
  expectTypeOf<NonNullable<Paged['query']>['limit']>().toEqualTypeOf<undefined>();
  expectTypeOf<NonNullable<Paged['query']>['filter']>().toEqualTypeOf<string | undefined>();
});

function mistakes(client: Client): unknown[] {
  const path = { group_uid: 'g' };
  return [
    // @ts-expect-error a missing body
    client.groupUsers.addUserToGroup({ path }),
    // @ts-expect-error a missing required field
    client.groupUsers.addUserToGroup({ path, body: {} }),
    // @ts-expect-error a wrong type
    client.groupUsers.addUserToGroup({ path, body: { user_id: '1' } }),
    // @ts-expect-error an unknown name
    client.groupUsers.addUserToGroup({ path, body: { user_id: 1, role: 2 } }),
    // @ts-expect-error an unknown part
    client.groupUsers.addUserToGroup({ path, body: { user_id: 1 }, query: {} }),
    // @ts-expect-error no arguments where some are required
    client.groupUsers.addUserToGroup(),
    // @ts-expect-error no condition, and no `everything`
    client.cards.batchUpdateForCards({ body: { attributes: {} } }),
    // @ts-expect-error everything where the operation is about one
    client.groups.getGroup({ path: { uid: 'g' }, everything: true }),
    // @ts-expect-error an unknown group
    client.cardss,
    // @ts-expect-error an unknown operation
    client.groupUsers.addUser,
    // @ts-expect-error an unknown option
    client.groups.getListOfGroups({}, { retries: 3 }),
    // @ts-expect-error the page is not the caller's choice
    client.paginate(client.spaces.retrieveListOfSpaces, { query: { limit: 1 } }),
    // @ts-expect-error the same beside other parameters
    client.paginate(client.scim.getUsers, { query: { filter: 'x', count: 1 } }),
    // @ts-expect-error no list of pages
    client.paginate(client.spaces.retrieveSpace, { path: { space_id: 1 } }),
    // @ts-expect-error a missing path
    client.paginate(client.spaceUsers.getListOfUsers),
    client.paginate(client.spaces.retrieveListOfSpaces),
    client.paginate(client.documents.retrieveListOfDocuments, { query: { version: 2 } }),
    client.groups.getListOfGroups(),
    client.groups.getListOfGroups({ query: { limit: 1 } }, { timeoutMs: 1_000 }),
  ];
}

test('a mistake in a call does not compile', () => {
  expect(mistakes).toBeTypeOf('function');
});
