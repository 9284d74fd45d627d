/** What is wrong with a stage, and where in it. */
export class StageError extends Error {
  override readonly name = 'StageError';
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(path === '' ? reason : `${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}
