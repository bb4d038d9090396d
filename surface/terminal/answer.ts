import { answerCommand } from './answer-command.ts';

/** `npm run answer`. */
process.exitCode = await answerCommand(process.argv.slice(2), {
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
});
