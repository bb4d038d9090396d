// Plain JavaScript: a Node too old for main.ts must still be able to say so.
const NEEDED = [22, 18];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `The local stack needs Node ${NEEDED.join('.')} or newer, and this is ${process.version}: on Linux, npm ci installs one for npm start.`,
  );
  process.exit(1);
}
await import('./main.ts');
