// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Call } from '../client-types.ts';

/** Arguments of `cardFiles.attachFileToCard`. */
export interface CardFilesAttachFileToCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly file: FileInput;
  } | FormData;
}

/** Answer of `cardFiles.attachFileToCard`. */
export interface CardFilesAttachFileToCardAnswer {
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `comment_id`. */
  comment_id: number | null;
  /** Inferred from its name: a time. */
  created: string;
  deleted: unknown;
  external: unknown;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  mh_markup_id: number | string | null;
  mh_secret: unknown;
  name: unknown;
  size: unknown;
  sort_order: unknown;
  type: unknown;
  /** Inferred from its name: a time. */
  updated: string;
  url: unknown;
}

/** Arguments of `cardFiles.detachFileFromCard`. */
export interface CardFilesDetachFileFromCardArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardFiles.detachFileFromCard`. */
export interface CardFilesDetachFileFromCardAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardFiles.updateFile`. */
export interface CardFilesUpdateFileArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly card_cover?: boolean | undefined;
  } | undefined;
}

/** Answer of `cardFiles.updateFile`. */
export type CardFilesUpdateFileAnswer = Record<string, unknown>;

/** Operations of `client.cardFiles`. */
export interface CardFilesOperations {
  /**
   * Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice.
   *
   * `PUT /cards/{card_id}/files`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `file` (required)
   * @deprecated The service flags it so.
   */
  readonly attachFileToCard: Call<CardFilesAttachFileToCardArguments, CardFilesAttachFileToCardAnswer>;

  /**
   * Takes a file off a card.
   *
   * `DELETE /cards/{card_id}/files/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly detachFileFromCard: Call<CardFilesDetachFileFromCardArguments, CardFilesDetachFileFromCardAnswer | undefined>;

  /**
   * Makes a file the cover of its card, or no longer. The fields of the answer are not
   * documented.
   *
   * `PATCH /cards/{card_id}/files/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `card_cover`
   */
  readonly updateFile: Call<CardFilesUpdateFileArguments, CardFilesUpdateFileAnswer>;
}
