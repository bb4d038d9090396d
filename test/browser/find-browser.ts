import { existsSync } from 'node:fs';

const PLACES = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine; Debian's is installed with `apt-get install chromium`. */
export function findBrowser(): string | undefined {
  return PLACES.find((place) => place !== '' && existsSync(place));
}
