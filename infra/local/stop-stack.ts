/** What was started, to be stopped in the opposite order; what fails to stop does not keep the rest running. */
export class StopStack {
  readonly #stops: (() => unknown)[] = [];

  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  async stopAll(): Promise<void> {
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) {
      try {
        await stop();
      } catch (error) {
        console.error(`While stopping: ${(error as Error).message}`);
      }
    }
  }
}
