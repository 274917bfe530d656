// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Call, RedirectCall } from '../client-types.ts';

/** Arguments of `restrictedAccessCustomPropertyFiles.attachFileToCustomProperty`. */
export interface RestrictedAccessCustomPropertyFilesAttachFileToCustomPropertyArguments {
  readonly path: {
    readonly card_uid: string;
    readonly property_uid: string;
  };
  readonly body: {
    readonly file: FileInput;
  } | FormData;
}

/** Answer of `restrictedAccessCustomPropertyFiles.attachFileToCustomProperty`. */
export interface RestrictedAccessCustomPropertyFilesAttachFileToCustomPropertyAnswer {
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
  custom_property_uid: string | null;
}

/** Arguments of `restrictedAccessCustomPropertyFiles.deleteCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesDeleteCustomPropertyFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly property_uid: string;
    readonly id: string;
  };
}

/** Answer of `restrictedAccessCustomPropertyFiles.deleteCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesDeleteCustomPropertyFileAnswer {
  /** Inferred from `path.id`. */
  id: string;
}

/** Arguments of `restrictedAccessCustomPropertyFiles.getCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesGetCustomPropertyFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly property_uid: string;
    readonly id: string;
  };
  readonly query?: {
    readonly redirect?: boolean | undefined;
    readonly download?: boolean | undefined;
    /** Not in the documents of the service. */
    readonly response_type?: string | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCustomPropertyFiles.getCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesGetCustomPropertyFileAnswer {
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
  custom_property_uid: string | null;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from `body.card_cover`. */
  card_cover: boolean | null;
  url: unknown;
}

/** Arguments of `restrictedAccessCustomPropertyFiles.updateCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesUpdateCustomPropertyFileArguments {
  readonly path: {
    readonly card_uid: string;
    readonly property_uid: string;
    readonly id: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly card_cover?: boolean | undefined;
  } | undefined;
}

/** Answer of `restrictedAccessCustomPropertyFiles.updateCustomPropertyFile`. */
export interface RestrictedAccessCustomPropertyFilesUpdateCustomPropertyFileAnswer {
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
  custom_property_uid: string | null;
}

/** Operations of `client.restrictedAccessCustomPropertyFiles`. */
export interface RestrictedAccessCustomPropertyFilesOperations {
  /**
   * Attaches a file.
   *
   * `POST /cards/{card_uid}/custom-properties/{property_uid}/files`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_uid`, `property_uid`; `body`: `file` (required)
   */
  readonly attachFileToCustomProperty: Call<RestrictedAccessCustomPropertyFilesAttachFileToCustomPropertyArguments, RestrictedAccessCustomPropertyFilesAttachFileToCustomPropertyAnswer>;

  /**
   * Deletes a file.
   *
   * `DELETE /cards/{card_uid}/custom-properties/{property_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `property_uid`, `id`
   */
  readonly deleteCustomPropertyFile: Call<RestrictedAccessCustomPropertyFilesDeleteCustomPropertyFileArguments, RestrictedAccessCustomPropertyFilesDeleteCustomPropertyFileAnswer | undefined>;

  /**
   * Facts about a file, with its address in `url`. With `redirect: true` the answer is the
   * target. Newer installations take `response_type` instead and redirect unless it is `json`.
   *
   * `GET /cards/{card_uid}/custom-properties/{property_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `property_uid`, `id`; `query`: `redirect`, `download`,
   * `response_type`
   */
  readonly getCustomPropertyFile: RedirectCall<RestrictedAccessCustomPropertyFilesGetCustomPropertyFileArguments, RestrictedAccessCustomPropertyFilesGetCustomPropertyFileAnswer>;

  /**
   * Renames a file or makes it the cover.
   *
   * `PATCH /cards/{card_uid}/custom-properties/{property_uid}/files/{id}`
   *
   * @param args `path`: `card_uid`, `property_uid`, `id`; `body`: `name`, `card_cover`
   */
  readonly updateCustomPropertyFile: Call<RestrictedAccessCustomPropertyFilesUpdateCustomPropertyFileArguments, RestrictedAccessCustomPropertyFilesUpdateCustomPropertyFileAnswer>;
}
