import { board } from './fields/boards.ts';
import type { OperationGroup } from './operation.ts';

/** Boards without their space; the operations of a board in a space are `spaceBoards`. */
export const boards = {
  /** One board with its columns, lanes and cards. */
  getBoard: {
    id: 'boards.getBoard',
    api: 'rest',
    method: 'GET',
    path: '/boards/{id}',
    pathParameters: { id: 'integer' },
    response: { kind: 'object', fields: [...board, 'cards'] },
    repeat: 'safe',
    source: 'REST: boards',
  },
} as const satisfies OperationGroup;
