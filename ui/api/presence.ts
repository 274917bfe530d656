/** Time after the last key or click for which a person counts as there, in milliseconds. */
const THERE_MS = 60_000;

const presence = { at: Date.now() };

/** True when somebody used the page within a minute: otherwise requests do not keep the session alive. */
export function isPersonThere(): boolean {
  return Date.now() - presence.at < THERE_MS;
}

/** Notes each use of the page. */
export function watchPresence(): void {
  for (const type of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(
      type,
      () => {
        presence.at = Date.now();
      },
      { passive: true },
    );
  }
}
