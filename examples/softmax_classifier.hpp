// SPDX-License-Identifier: MIT
//
// Softmax regression in plain C++: one 28 x 28 template per class, learned by stochastic gradient descent.

#ifndef FOREBAY_EXAMPLES_SOFTMAX_CLASSIFIER_HPP
#define FOREBAY_EXAMPLES_SOFTMAX_CLASSIFIER_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "fashion_mnist.hpp"

/// Scores an image against the template of each class; the softmax of the scores gives the probabilities. The templates
/// start at zero, so the result depends only on the order of the images.
class SoftmaxClassifier {
 public:
  using Pixels = std::array<float, pixels_per_image>;

  /// The number of parameters: templates and biases, class by class.
  static constexpr std::size_t parameter_count = class_count * (pixels_per_image + 1);

  /// Makes one step of gradient descent on the batch. Returns the mean loss (cross entropy) of the batch before the
  /// step.
  float train(std::span<const LabelledImage> batch) {
    if (batch.empty()) return 0.0F;
    gradient_.assign(parameter_count, 0.0F);
    const float loss = add_gradient(batch, gradient_);
    descend(gradient_, batch.size());
    return loss / static_cast<float>(batch.size());
  }

  /// Adds the gradient of the loss over the batch to `gradient`. Returns the loss.
  float add_gradient(std::span<const LabelledImage> batch, std::span<float> gradient) const {
    float loss = 0.0F;
    for (const LabelledImage& image : batch) {
      Scores error = probabilities(image.pixels);
      loss -= std::log(std::max(error[image.label], std::numeric_limits<float>::min()));
      error[image.label] -= 1.0F;  // probability - truth: the gradient of the loss by the scores
      for (std::size_t k = 0; k < class_count; ++k) {
        const std::span<float> of_class = gradient.subspan(k * (pixels_per_image + 1), pixels_per_image + 1);
        for (std::size_t i = 0; i < pixels_per_image; ++i) of_class[i] += error[k] * image.pixels[i];
        of_class[pixels_per_image] += error[k];
      }
    }
    return loss;
  }

  /// Makes one step along the mean of the gradients that were summed over `count` images.
  void descend(std::span<const float> gradient, std::size_t count) {
    const float step = learning_rate / static_cast<float>(count);
    for (std::size_t k = 0; k < class_count; ++k) {
      const std::span<const float> of_class = gradient.subspan(k * (pixels_per_image + 1), pixels_per_image + 1);
      for (std::size_t i = 0; i < pixels_per_image; ++i) {
        templates_[k][i] = templates_[k][i] * (1.0F - learning_rate * weight_decay) - step * of_class[i];
      }
      biases_[k] -= step * of_class[pixels_per_image];
    }
  }

  std::size_t classify(const Pixels& pixels) const {
    const Scores all = scores(pixels);
    return static_cast<std::size_t>(std::ranges::max_element(all) - all.begin());
  }

  /// Returns the template of a class: ink at a positive weight is evidence for the class, at a negative one against it.
  const Pixels& class_template(std::size_t index) const { return templates_[index]; }

  /// Returns the learned parameters, to be saved.
  std::vector<float> parameters() const {
    std::vector<float> all;
    for (std::size_t k = 0; k < class_count; ++k) {
      all.insert(all.end(), templates_[k].begin(), templates_[k].end());
      all.push_back(biases_[k]);
    }
    return all;
  }
  /// Requires parameter_count of them.
  void set_parameters(std::span<const float> all) {
    for (std::size_t k = 0; k < class_count; ++k) {
      const std::span<const float> of_class = all.subspan(k * (pixels_per_image + 1), pixels_per_image + 1);
      std::ranges::copy(of_class.first(pixels_per_image), templates_[k].begin());
      biases_[k] = of_class[pixels_per_image];
    }
  }

 private:
  using Scores = std::array<float, class_count>;

  static constexpr float learning_rate = 0.03F;
  static constexpr float weight_decay = 0.01F;  // moves unused weights towards zero, for less noise in the templates

  /// Sums in eight lanes. The order of a float sum is part of its result, so a compiler may not make lanes of one sum.
  static float dot(const Pixels& left, const Pixels& right) {
    std::array<float, 8> lanes{};
    static_assert(pixels_per_image % lanes.size() == 0);
    for (std::size_t i = 0; i < pixels_per_image; i += lanes.size()) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += left[i + lane] * right[i + lane];
    }
    float sum = 0.0F;
    for (const float lane : lanes) sum += lane;
    return sum;
  }

  Scores scores(const Pixels& pixels) const {
    Scores all{};
    for (std::size_t k = 0; k < class_count; ++k) all[k] = biases_[k] + dot(templates_[k], pixels);
    return all;
  }

  Scores probabilities(const Pixels& pixels) const {
    Scores all = scores(pixels);
    const float highest = *std::ranges::max_element(all);  // subtracted first, so that exp cannot overflow
    float sum = 0.0F;
    for (float& score : all) sum += score = std::exp(score - highest);
    for (float& score : all) score /= sum;
    return all;
  }

  std::array<Pixels, class_count> templates_{};
  Scores biases_{};
  std::vector<float> gradient_;  // of the current batch; a member, to reuse its storage
};

#endif  // FOREBAY_EXAMPLES_SOFTMAX_CLASSIFIER_HPP
