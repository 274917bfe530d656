// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Call, RedirectCall } from '../client-types.ts';

/** Arguments of `restrictedAccessCardFiles.attachFileToCard`. */
export interface RestrictedAccessCardFilesAttachFileToCardArguments {
  readonly path: {
    readonly card_uid: string;
  };
  readonly body: {
    readonly file: FileInput;
  } | FormData;
}

/** Answer of `restrictedAccessCardFiles.attachFileToCard`. */
export interface RestrictedAccessCardFilesAttachFileToCardAnswer {
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
}

/** Arguments of `restrictedAccessCardFiles.deleteCardFile`. */
export interface RestrictedAccessCardFilesDeleteCardFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly id: string;
  };
}

/** Answer of `restrictedAccessCardFiles.deleteCardFile`. */
export interface RestrictedAccessCardFilesDeleteCardFileAnswer {
  /** Inferred from `path.id`. */
  id: string;
}

/** Arguments of `restrictedAccessCardFiles.getCardFile`. */
export interface RestrictedAccessCardFilesGetCardFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly id: string;
  };
  readonly query?: {
    readonly redirect?: boolean | undefined;
    readonly download?: boolean | undefined;
    /** Not in the documents of the service. */
    readonly response_type?: string | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCardFiles.getCardFile`. */
export interface RestrictedAccessCardFilesGetCardFileAnswer {
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
  author_uid: string | null;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  url: unknown;
}

/** Arguments of `restrictedAccessCardFiles.updateCardFile`. */
export interface RestrictedAccessCardFilesUpdateCardFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly id: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly card_cover?: boolean | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCardFiles.updateCardFile`. */
export interface RestrictedAccessCardFilesUpdateCardFileAnswer {
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
}

/** Operations of `client.restrictedAccessCardFiles`. */
export interface RestrictedAccessCardFilesOperations {
  /**
   * Attaches a file.
   *
   * `POST /cards/{card_uid}/files`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_uid`; `body`: `file` (required)
   */
  readonly attachFileToCard: Call<RestrictedAccessCardFilesAttachFileToCardArguments, RestrictedAccessCardFilesAttachFileToCardAnswer>;

  /**
   * Deletes a file.
   *
   * `DELETE /cards/{card_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `id`
   */
  readonly deleteCardFile: Call<RestrictedAccessCardFilesDeleteCardFileArguments, RestrictedAccessCardFilesDeleteCardFileAnswer | undefined>;

  /**
   * Facts about a file, with its address in `url`. With `redirect: true` the answer is the
   * target. Newer installations take `response_type` instead and redirect unless it is `json`.
   *
   * `GET /cards/{card_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `id`; `query`: `redirect`, `download`, `response_type`
   */
  readonly getCardFile: RedirectCall<RestrictedAccessCardFilesGetCardFileArguments, RestrictedAccessCardFilesGetCardFileAnswer>;

  /**
   * Renames a file or makes it the cover.
   *
   * `PATCH /cards/{card_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `id`; `body`: `name`, `card_cover`
   */
  readonly updateCardFile: Call<RestrictedAccessCardFilesUpdateCardFileArguments, RestrictedAccessCardFilesUpdateCardFileAnswer>;
}
