// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `spaceTemplateChecklist.createNewSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistCreateNewSpaceTemplateChecklistArguments {
  readonly path: {
    readonly space_uid: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly sort_order?: number | undefined;
  } | undefined;
}

/** Answer of `spaceTemplateChecklist.createNewSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistCreateNewSpaceTemplateChecklistAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `spaceTemplateChecklist.getListOfSpaceTemplateChecklists`. */
export interface SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsArguments {
  readonly path: {
    readonly space_uid: string;
  };
}

/** Entry of the answer of `spaceTemplateChecklist.getListOfSpaceTemplateChecklists`. */
export interface SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsEntry {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  items: unknown;
}

/** Answer of `spaceTemplateChecklist.getListOfSpaceTemplateChecklists`. */
export type SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsAnswer = SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsEntry[];

/** Arguments of `spaceTemplateChecklist.removeSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistRemoveSpaceTemplateChecklistArguments {
  readonly path: {
    readonly space_uid: string;
    readonly template_checklist_uid: string;
  };
}

/** Answer of `spaceTemplateChecklist.removeSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistRemoveSpaceTemplateChecklistAnswer {
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `spaceTemplateChecklist.updateSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistUpdateSpaceTemplateChecklistArguments {
  readonly path: {
    readonly space_uid: string;
    readonly template_checklist_uid: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly space_uid?: string | undefined;
  } | undefined;
}

/** Answer of `spaceTemplateChecklist.updateSpaceTemplateChecklist`. */
export interface SpaceTemplateChecklistUpdateSpaceTemplateChecklistAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Operations of `client.spaceTemplateChecklist`. */
export interface SpaceTemplateChecklistOperations {
  /**
   * Creates a template.
   *
   * `POST /spaces/{space_uid}/template-checklists`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_uid`; `body`: `name`, `sort_order`
   */
  readonly createNewSpaceTemplateChecklist: Call<SpaceTemplateChecklistCreateNewSpaceTemplateChecklistArguments, SpaceTemplateChecklistCreateNewSpaceTemplateChecklistAnswer>;

  /**
   * The templates of a space with their items, in one answer.
   *
   * `GET /spaces/{space_uid}/template-checklists`
   *
   * @param args `path`: `space_uid`
   */
  readonly getListOfSpaceTemplateChecklists: Call<SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsArguments, SpaceTemplateChecklistGetListOfSpaceTemplateChecklistsAnswer>;

  /**
   * Deletes a template.
   *
   * `DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}`
   *
   * @param args `path`: `space_uid`, `template_checklist_uid`
   */
  readonly removeSpaceTemplateChecklist: Call<SpaceTemplateChecklistRemoveSpaceTemplateChecklistArguments, SpaceTemplateChecklistRemoveSpaceTemplateChecklistAnswer | undefined>;

  /**
   * Changes a template, or moves it to another space.
   *
   * `PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}`
   *
   * @param args `path`: `space_uid`, `template_checklist_uid`; `body`: `name`, `sort_order`,
   * `space_uid`
   */
  readonly updateSpaceTemplateChecklist: Call<SpaceTemplateChecklistUpdateSpaceTemplateChecklistArguments, SpaceTemplateChecklistUpdateSpaceTemplateChecklistAnswer>;
}
