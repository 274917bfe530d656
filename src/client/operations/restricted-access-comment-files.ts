// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Call, RedirectCall } from '../client-types.ts';

/** Arguments of `restrictedAccessCommentFiles.attachFileToComment`. */
export interface RestrictedAccessCommentFilesAttachFileToCommentArguments {
  readonly path: {
    readonly card_uid: string;
    readonly comment_uid: string;
  };
  readonly body: {
    readonly file: FileInput;
  } | FormData;
}

/** Answer of `restrictedAccessCommentFiles.attachFileToComment`. */
export interface RestrictedAccessCommentFilesAttachFileToCommentAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  size: string;
  mime_type: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  card_uid: string;
  /** Inferred from its name. */
  company_uid: string | null;
  entity_type: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  /** Inferred from its name. */
  comment_uid: string;
}

/** Arguments of `restrictedAccessCommentFiles.deleteCommentFile`. */
export interface RestrictedAccessCommentFilesDeleteCommentFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly comment_uid: string;
    readonly id: string;
  };
}

/** Answer of `restrictedAccessCommentFiles.deleteCommentFile`. */
export interface RestrictedAccessCommentFilesDeleteCommentFileAnswer {
  /** Inferred from `path.id`. */
  id: string;
}

/** Arguments of `restrictedAccessCommentFiles.getCommentFile`. */
export interface RestrictedAccessCommentFilesGetCommentFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly comment_uid: string;
    readonly id: string;
  };
  readonly query?: {
    readonly redirect?: boolean | undefined;
    readonly download?: boolean | undefined;
    /** Not in the documents of the service. */
    readonly response_type?: string | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCommentFiles.getCommentFile`. */
export interface RestrictedAccessCommentFilesGetCommentFileAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  size: string;
  mime_type: unknown;
  entity_type: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name. */
  card_uid: string;
  /** Inferred from its name. */
  comment_uid: string;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  url: unknown;
}

/** Arguments of `restrictedAccessCommentFiles.updateCommentFile`. */
export interface RestrictedAccessCommentFilesUpdateCommentFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly comment_uid: string;
    readonly id: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly card_cover?: boolean | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCommentFiles.updateCommentFile`. */
export interface RestrictedAccessCommentFilesUpdateCommentFileAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  size: string;
  mime_type: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  card_uid: string;
  /** Inferred from its name. */
  company_uid: string | null;
  entity_type: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  /** Inferred from its name. */
  comment_uid: string;
}

/** Operations of `client.restrictedAccessCommentFiles`. */
export interface RestrictedAccessCommentFilesOperations {
  /**
   * Attaches a file.
   *
   * `POST /cards/{card_uid}/comments/{comment_uid}/files`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_uid`, `comment_uid`; `body`: `file` (required)
   */
  readonly attachFileToComment: Call<RestrictedAccessCommentFilesAttachFileToCommentArguments, RestrictedAccessCommentFilesAttachFileToCommentAnswer>;

  /**
   * Deletes a file.
   *
   * `DELETE /cards/{card_uid}/comments/{comment_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `comment_uid`, `id`
   */
  readonly deleteCommentFile: Call<RestrictedAccessCommentFilesDeleteCommentFileArguments, RestrictedAccessCommentFilesDeleteCommentFileAnswer | undefined>;

  /**
   * Facts about a file, with its address in `url`. With `redirect: true` the answer is the
   * target. Newer installations take `response_type` instead and redirect unless it is `json`.
   *
   * `GET /cards/{card_uid}/comments/{comment_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `comment_uid`, `id`; `query`: `redirect`, `download`,
   * `response_type`
   */
  readonly getCommentFile: RedirectCall<RestrictedAccessCommentFilesGetCommentFileArguments, RestrictedAccessCommentFilesGetCommentFileAnswer>;

  /**
   * Renames a file or makes it the cover.
   *
   * `PATCH /cards/{card_uid}/comments/{comment_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `comment_uid`, `id`; `body`: `name`, `card_cover`
   */
  readonly updateCommentFile: Call<RestrictedAccessCommentFilesUpdateCommentFileArguments, RestrictedAccessCommentFilesUpdateCommentFileAnswer>;
}
