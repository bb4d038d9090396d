import type { Points } from '../process.ts';
import { adoptThreadPoints } from './adopt-thread.ts';
import { cancelPromptPoints } from './cancel-prompt.ts';
import { changeSlotPoints } from './change-slot.ts';
import { confirmOwnItemPoints } from './confirm-own-item.ts';
import { auditAndEndPoints, endPromptPoints, finishPromptPoints } from './finish-prompt.ts';
import { lateLandingPoints } from './late-landing.ts';
import { questionPoints } from './question.ts';
import { raisePromptPoints } from './raise-prompt.ts';
import { reconcileThreadPoints } from './reconcile-thread.ts';
import { resolveItemPoints } from './resolve-item.ts';
import { runnerCallsPoints } from './runner-calls.ts';

/** All places where a process can wait, by program counter. */
export const POINTS: Points = {
  ...changeSlotPoints,
  ...finishPromptPoints,
  ...auditAndEndPoints,
  ...endPromptPoints,
  ...lateLandingPoints,
  ...questionPoints,
  ...resolveItemPoints,
  ...confirmOwnItemPoints,
  ...raisePromptPoints,
  ...cancelPromptPoints,
  ...reconcileThreadPoints,
  ...runnerCallsPoints,
  ...adoptThreadPoints,
};
